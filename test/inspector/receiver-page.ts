import { createBrowserReceiver } from '@statelyai/inspect'

/** Stands for the hosted inspector: the receiver of the package, in a frame. */
const received: unknown[] = []
Object.assign(globalThis, { received })
createBrowserReceiver().subscribe(message => void received.push(message))
