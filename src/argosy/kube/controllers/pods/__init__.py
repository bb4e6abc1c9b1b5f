"""What every workload controller does with pods: judge them, claim them, make and delete them, choose which ones go first."""
