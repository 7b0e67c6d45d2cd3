/**
 * The way to pay in the checkout that is made of blocks: its text, and the choice of a method where there are several.
 *
 * Licence: Apache-2.0.
 */
( ( { registerPaymentMethod }, { getSetting }, { createElement, useEffect, useState } ) => {
	const settings = getSetting( 'payment_gateway_data', {} );
	const methods = Object.entries( settings.methods || {} );

	const Choice = ( { eventRegistration, emitResponse } ) => {
		const [ chosen, choose ] = useState( methods.length ? methods[ 0 ][ 0 ] : '' );
		useEffect(
			() =>
				eventRegistration.onPaymentSetup( () => ( {
					type: emitResponse.responseTypes.SUCCESS,
					meta: { paymentMethodData: { payment_gateway_method: chosen } },
				} ) ),
			[ chosen ]
		);
		const choices = methods.length < 2 ? [] : methods.map( ( [ method, name ] ) =>
			createElement(
				'label',
				{ key: method, style: { display: 'block', padding: '4px 0' } },
				createElement( 'input', {
					type: 'radio',
					name: 'payment_gateway_method',
					value: method,
					checked: method === chosen,
					onChange: () => choose( method ),
				} ),
				' ',
				name
			)
		);
		return createElement( 'div', null, createElement( 'p', null, settings.description ), choices );
	};

	registerPaymentMethod( {
		name: 'payment_gateway',
		label: settings.title,
		ariaLabel: settings.title,
		content: createElement( Choice ),
		edit: createElement( 'p', null, settings.description ),
		canMakePayment: () => methods.length > 0,
		supports: { features: settings.supports || [] },
	} );
} )( window.wc.wcBlocksRegistry, window.wc.wcSettings, window.wp.element );
