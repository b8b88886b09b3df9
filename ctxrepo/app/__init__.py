"""Operations: each verb of the product once, as a request that becomes a result, for every face to call."""
