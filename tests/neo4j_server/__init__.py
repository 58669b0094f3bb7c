"""A real Neo4j Community server for tests and trials, started from its Maven artifacts where no Docker engine runs.

python -m tests.neo4j_server start                        # 2026.08.1 at bolt://127.0.0.1:7687
python -m tests.neo4j_server start --version 5.26.30 --bolt-port 7787
python -m tests.neo4j_server stop
"""
