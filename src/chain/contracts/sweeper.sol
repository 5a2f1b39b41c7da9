// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The code that every forwarder runs. It sends the balance to the treasury, whose address is at the end of the
/// forwarder's own code. Any account may call it: money can only go to the treasury, and there is no state.
contract Sweeper {
    /// Token 0 is the native currency. Where it returns false, nothing was transferred.
    function sweep(address token) external returns (bool swept) {
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(address(), 12, 51, 20)
            let treasury := mload(0)

            switch token
            case 0 {
                let amount := selfbalance()
                swept := 1
                if amount { swept := call(gas(), treasury, amount, 0, 0, 0, 0) }
            }
            default {
                mstore(0, shl(224, 0x70a08231)) // balanceOf(address)
                mstore(4, address())
                // The last argument is evaluated first. A call to an address without code returns no data.
                if and(gt(returndatasize(), 31), staticcall(gas(), token, 0, 36, 0, 32)) {
                    let amount := mload(0)
                    swept := 1
                    if amount {
                        let message := mload(0x40)
                        mstore(message, shl(224, 0xa9059cbb)) // transfer(address,uint256)
                        mstore(add(message, 4), treasury)
                        mstore(add(message, 36), amount)
                        // Some tokens return nothing, some return false. Of a longer answer only one word is copied.
                        let done := call(gas(), token, 0, message, 68, 0, 32)
                        let said := and(gt(returndatasize(), 31), eq(mload(0), 1))
                        swept := and(done, or(iszero(returndatasize()), said))
                    }
                }
            }
        }
    }
}
