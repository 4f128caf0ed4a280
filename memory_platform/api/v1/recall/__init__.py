"""Endpoints for recall, contexts, receipts and outcomes."""
