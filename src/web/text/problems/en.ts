/** The pages of error responses, and of paths that do not exist. */
export const problemsEn = {
  title: 'This did not work',
  tooMany: 'One moment, please',
  fault: 'This did not work',
  refused: 'This is not possible',
  requestNumber: 'If you ask for help, give this request number:',
  notFound: {
    title: 'Page not found',
    what: 'There is no page at this address. It may be cut off or mistyped. If someone sent it to you, ask for a new link.',
    nothingChanged: 'Nothing was paid or changed.',
    start: 'To the start page',
  },
}
