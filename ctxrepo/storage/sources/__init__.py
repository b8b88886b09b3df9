"""What other memory programs keep on this machine: read, and never written."""
