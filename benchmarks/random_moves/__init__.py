"""Random graphs of moves and of ops between them, compiled with and without rewrites: values equal, no more time."""
