import { busy, el, field, showFault } from './elements.js'
import { signIn } from './session.js'

/** Why nobody was let in, and where the cursor goes. */
const faults = {
  invalid_credentials: ['The e-mail address or the password is wrong.', 'password'],
  invalid_mfa_code: ['The code is wrong or has been used already. Take the next one.', 'code'],
  parameter_invalid: ['This is no e-mail address.', 'email'],
}

const faultOf = ({ code, message, retryAfter }) => {
  if (code === 'rate_limited') return [`Too many tries. Wait ${retryAfter ?? 60} seconds, then try again.`, 'password']
  return faults[code] ?? [message || 'Something went wrong. Try again.', 'password']
}

/** The form; `done` once somebody is in. */
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

  /** Asked for only of who has a second factor. */
  const askForCode = () => {
    if (form.elements.code) return
    const label = 'Code of your authenticator app, or a recovery code'
    submit.before(...field(label, { id: 'code', autocomplete: 'one-time-code', autocapitalize: 'none' }))
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    const { code } = form.elements
    const empty = [email, password].find(({ value }) => value === '')
    if (empty) return showFault(form, 'Fill in your e-mail address and your password.', empty)
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
