"""What concerns a tenant as a whole: keys, usage, jobs, exports, certificates of erasure."""
