"""Memory is tidied up by proposals: what there is to tidy, what is proposed, and how it is carried out."""
