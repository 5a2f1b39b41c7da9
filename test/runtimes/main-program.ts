// Not preloaded: Deno waits for what is preloaded to end, as nothing does that waits for its parent's end.
import '../harness/end-with-parent.ts'
import '../../src/main.ts'
