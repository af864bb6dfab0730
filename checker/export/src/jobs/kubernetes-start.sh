#!/bin/sh
# The job of the shards, and the job that merges when it has ended, well or not.
set -e
kubectl apply -f {plan}/submit/kubernetes.yaml
ended='jsonpath={.status.conditions[?(@.type=="Complete")].status}{.status.conditions[?(@.type=="Failed")].status}'
until [ -n "$(kubectl get job {name} -o "$ended")" ]; do sleep 10; done
kubectl apply -f {plan}/submit/kubernetes-merge.yaml
