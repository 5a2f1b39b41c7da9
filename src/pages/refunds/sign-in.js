import { busy, el, field, showFault } from './elements.js'
import { signIn } from './session.js'

/** Error message and the field to focus, by error code. */
const faults = {
  invalid_credentials: ['The e-mail address or the password is wrong.', 'password'],
  invalid_mfa_code: ['The code is wrong or has already been used. Enter the next one.', 'code'],
  parameter_invalid: ['Enter a valid e-mail address.', 'email'],
}

const faultOf = ({ code, message, retryAfter }) => {
  if (code === 'rate_limited')
    return [`Too many attempts. Wait ${retryAfter ?? 60} seconds, then try again.`, 'password']
  return faults[code] ?? [message || 'An error has occurred. Try again.', 'password']
}

/** The sign-in form. Calls `done` after a successful sign-in. */
export const signInForm = done => {
  const form = el(
    'form',
    { novalidate: true },
    field('E-mail address', { id: 'email', type: 'email', autocomplete: 'username', autocapitalize: 'none' }),
    field('Password', { id: 'password', type: 'password', autocomplete: 'current-password' }),
  )
  const submit = el('button', {}, 'Sign in')
  form.append(submit)
  const { email, password } = form.elements

  /** The code field is shown only for accounts with MFA. */
  const askForCode = () => {
    if (form.elements.code) return
    const label = 'Code of your authenticator app, or a recovery code'
    submit.before(...field(label, { id: 'code', autocomplete: 'one-time-code', autocapitalize: 'none' }))
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    const { code } = form.elements
    const empty = [email, password].find(({ value }) => value === '')
    if (empty) return showFault(form, 'Enter your e-mail address and your password.', empty)
    return busy(submit, async () => {
      const given = { email: email.value.trim(), password: password.value }
      try {
        await signIn({ ...given, ...(code?.value && { code: code.value.trim() }) })
      } catch (error) {
        if (error.code === 'mfa_required') {
          askForCode()
          form.querySelector('.fault')?.remove()
          return form.elements.code.focus()
        }
        const [text, name] = faultOf(error)
        return showFault(form, text, form.elements[name] ?? password)
      }
      return done()
    })
  })
  return form
}
