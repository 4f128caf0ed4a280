"""What is deployed: the chart, its alerts and its dashboard."""
