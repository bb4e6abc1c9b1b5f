"""Identity's tables, one numbered file per step. The first tells what each table is for."""
