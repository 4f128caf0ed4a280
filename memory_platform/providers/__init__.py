"""Embedders, rerankers, chat models and Redis, each behind one contract."""
