const streams = new WeakSet<Response>()

/** A response that is sent in pieces while its body is made. The listener for Node sends every other one as a whole. */
export const streamed = (response: Response): Response => {
  streams.add(response)
  return response
}

export const isStreamed = (response: Response): boolean => streams.has(response)
