"""Reports as HTML: a page of its own that needs no network, and what notebooks show."""
