/**
 * Preloaded into the processes that tests start. Their standard input closes when the test process ends, also by
 * kill -9, and they end too.
 */
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'))
process.stdin.on('error', () => {})
process.stdin.resume()
// Deno lacks this object; there the instance ends by process.exit, as elsewhere.
process.stdin.unref?.()
