/**
 * Preloaded into the processes that tests start: their standard input closes when the test process
 * ends, kill -9 included, and they end with it.
 */
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'))
process.stdin.on('error', () => {})
process.stdin.resume()
// Deno has no such thing; the instance ends by process.exit there as elsewhere.
process.stdin.unref?.()
