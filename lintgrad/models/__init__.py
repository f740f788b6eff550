"""What torch and the frameworks do: tables, and functions that read them."""
