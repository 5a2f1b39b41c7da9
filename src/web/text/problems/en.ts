/** The page of an error response. */
export const problemsEn = {
  title: 'This did not work',
  tooMany: 'One moment, please',
  fault: 'This did not work',
  refused: 'This is not possible',
  requestNumber: 'If you ask for help, give this request number:',
}
