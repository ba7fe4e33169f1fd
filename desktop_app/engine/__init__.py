"""The engine runs tasks: plain asyncio that knows no window, no database and no provider."""
