"""The report's pages: one idea a file, from plain data to HTML, Markdown and LaTeX."""
