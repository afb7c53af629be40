from .totals import compute_total as total
from .models import User

__all__ = ["User", "total"]
