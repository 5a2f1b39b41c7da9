import { useCustomerName } from '../customers/customer-name.ts'
import { FindCustomer } from '../customers/find-customer.tsx'
import { useCustomer } from '../customers/use-customer.ts'
import { PickToggle } from '../shell/filters.tsx'
import { useInvoicesTexts } from './texts.ts'

type PickCustomerProps = {
  /** Undefined: all customers. */
  readonly id: string | undefined
  readonly onPick: (id: string | undefined) => void
}

/** The filter of a list by a customer: found as in the editor; pressed again, all are shown. */
export const PickCustomer = ({ id, onPick }: PickCustomerProps) => {
  const texts = useInvoicesTexts()
  if (id !== undefined) return <PickedCustomer id={id} onPick={onPick} />
  return (
    <div class="pick-found">
      <FindCustomer
        label={texts.findCustomer}
        placeholder={texts.anyCustomer}
        error={undefined}
        except=""
        onCustomer={found => found !== undefined && onPick(found)}
      />
    </div>
  )
}

const PickedCustomer = ({ id, onPick }: PickCustomerProps & { readonly id: string }) => {
  const { customer } = useInvoicesTexts()
  const nameOf = useCustomerName()
  const { data } = useCustomer(id)
  return (
    <PickToggle isOn onToggle={() => onPick(undefined)}>
      {`${customer}: ${data ? nameOf(data) : '…'}`}
    </PickToggle>
  )
}
