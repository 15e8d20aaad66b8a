"""Reports: the same tables as a page, as Markdown and in the terminal."""
