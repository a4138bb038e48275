"""Programs as models spell them, beside the same values as an expert of the device would write them."""
