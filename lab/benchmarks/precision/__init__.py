"""PrecisionMemBench (tenurehq, MIT): does the right memory come, and that memory only?"""
