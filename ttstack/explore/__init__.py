"""A model in Model Explorer: every level as a graph, and the loop of an edit, a compilation and what it changed."""
