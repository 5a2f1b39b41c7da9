import { listenForCopying } from '../pay/copy.ts'

// The page is complete without this module: it makes the copy buttons work.
listenForCopying(JSON.parse(document.body.dataset.texts ?? '{}'))
