"""Speed and load of a running stack, beside a floor and other memory stores."""
