// Imported and not preloaded: Deno waits for the end of a preloaded module, and this one waits for its parent's end.
import '../harness/end-with-parent.ts'
import '../../src/main.ts'
