/** Whether an account can be created without an invitation: not any more, freely, or with the code that the start has printed. */
export type SignUpState = 'done' | 'open' | 'with_code'
