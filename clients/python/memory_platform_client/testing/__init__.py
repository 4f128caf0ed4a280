"""Test kits for what others build."""
