"""Keep the index complete: add missing entries, reread damaged ones, remove unused ones."""
