"""Search for better numbers and measure each optimisation."""
