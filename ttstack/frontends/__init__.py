"""Ways into the compiler: text and models become TTIR modules."""
