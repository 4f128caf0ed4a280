"""Dates that sort and fit into a column, and numbers in groups of three, the same in every language. Times are UTC."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
