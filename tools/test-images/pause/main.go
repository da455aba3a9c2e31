// pause holds a pod's namespaces open: it waits to be told to end, and takes leave of processes that nobody else waits for.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for caught := range signals {
		if caught != syscall.SIGCHLD {
			return
		}
		for {
			// One signal may stand for several processes.
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 && err != syscall.EINTR {
				break
			}
		}
	}
}
