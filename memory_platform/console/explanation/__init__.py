"""Why a prompt holds what it holds: candidates, scores and outcomes."""
