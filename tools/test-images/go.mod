// Programs for the container images of the e2e tests, which come from no registry. Built by e2e/labs/test-images.ts.
module headstart/tools/test-images

go 1.26
