"""One verb a file: values in, values out; nothing here prints, asks, exits or reads the environment."""
