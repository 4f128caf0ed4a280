"""The admin console for support staff, managers and operators."""
