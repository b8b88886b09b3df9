"""Operations that read and change notes."""
