// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Sweeper} from "./sweeper.sol";

/// Deploys and sweeps forwarders. Every payment has its own deposit address, a forwarder that can send to its treasury
/// only and is deployed with the first sweep. Its address depends on treasury and salt alone. This contract has no owner
/// and no state, and its deployment is the same on all chains.
contract Forwarders {
    /// A transfer failed. The money stays at the forwarder and can be swept again.
    event Stuck(address indexed forwarder, address indexed token);

    error NoTreasury();
    error NotEnoughGas();

    /// A token or treasury that uses all its gas must not make the other sweeps fail.
    uint256 private constant GAS_PER_SWEEP = 200_000;

    Sweeper public immutable sweeper = new Sweeper();

    /// Sweeps every token (0 is the native currency) from the forwarder of every salt, and returns for each salt and
    /// token whether it succeeded. Any account may call it.
    function collect(address treasury, bytes32[] calldata salts, address[] calldata tokens)
        external
        returns (bool[] memory swept)
    {
        // Tokens that can be sent to the zero address would be burnt.
        if (treasury == address(0)) revert NoTreasury();
        bytes memory code = forwarderCode(treasury);
        bytes32 codeHash = keccak256(code);
        swept = new bool[](salts.length * tokens.length);
        uint256 next;
        for (uint256 i; i < salts.length; ++i) {
            address forwarder = deployed(salts[i], code, codeHash);
            for (uint256 j; j < tokens.length; ++j) swept[next++] = sweep(forwarder, tokens[j]);
        }
    }

    /// A minimal proxy of the sweeper with the treasury after its code. The code first ends every call without data, so
    /// that payers who forward only 2,300 gas can also pay after the deployment.
    function forwarderCode(address treasury) private view returns (bytes memory) {
        return abi.encodePacked(
            hex"6100473d81600a3d39f3", // return the 71 bytes that follow
            hex"3660055700_5b",
            hex"363d3d373d3d3d363d73",
            sweeper,
            hex"5af43d82803e903d91603157fd5bf3",
            treasury
        );
    }

    function deployed(bytes32 salt, bytes memory code, bytes32 codeHash) private returns (address forwarder) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash));
        forwarder = address(uint160(uint256(hash)));
        if (forwarder.code.length > 0) return forwarder;
        assembly ("memory-safe") {
            pop(create2(0, add(code, 32), mload(code), salt))
        }
    }

    function sweep(address forwarder, address token) private returns (bool swept) {
        uint256 gasBefore = gasleft();
        uint256 selector = uint32(Sweeper.sweep.selector);
        assembly ("memory-safe") {
            mstore(0, shl(224, selector))
            mstore(4, token)
            let done := call(GAS_PER_SWEEP, forwarder, 0, 0, 36, 0, 32)
            swept := and(done, and(eq(returndatasize(), 32), eq(mload(0), 1)))
        }
        if (swept) return true;
        // A failure counts only if the sweep had its full gas: a call retains a 64th of the gas. Without this check a low
        // gas limit would look like a success, also to gas estimation.
        if (gasBefore < GAS_PER_SWEEP + GAS_PER_SWEEP / 63 + 5_000) revert NotEnoughGas();
        emit Stuck(forwarder, token);
    }
}
