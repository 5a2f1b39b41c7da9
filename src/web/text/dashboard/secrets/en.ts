/** The texts of the dialogs that show and replace a secret. */
export const secretsEn = {
  secret: 'Secret',
  copy: 'Copy secret',
  stored: 'I have stored it',
  done: 'Done',
  cancel: 'Cancel',
  rotateNow: 'The old secret stops working immediately',
  rotateLater: 'The old secret works for 24 more hours',
  rotateWhen: 'Old secret',
}
