"""The job that turns an uploaded document into chunks that are found."""
