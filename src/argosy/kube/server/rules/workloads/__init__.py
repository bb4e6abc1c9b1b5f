"""Kinds that make pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController, Job, CronJob, and their kin."""
