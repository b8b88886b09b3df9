"""What is measured by: histories of repositories, their documents and names, and passing memories."""
