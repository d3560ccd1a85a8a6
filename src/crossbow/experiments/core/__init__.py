"""What experiments share: judged queries, decisions on the development queries, a cache of what was measured."""
