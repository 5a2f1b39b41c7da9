/** The texts of the dialog that shows a secret once. */
export const secretsEn = {
  secret: 'Secret',
  copy: 'Copy secret',
  stored: 'I have stored it',
  done: 'Done',
}
