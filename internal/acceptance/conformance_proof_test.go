package acceptance

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// proofs are what takes more than a call, by their names, which interface.txt and decisions.txt have.
var proofs = byName(
	addresses, anotherCard, anyStatusFollowsAny, apiIsOff, appealConditions, appealSignsFourLines, banks,
	callsAreLimited, canonicalIsTaken, cardIsSealed, claimIsKept, claimIsTold, collectIsOff, creationTellsNothing,
	depositIsConfirmed, everyEndpointIsDescribed, expiredToken, getSignsNothing, headersAreConfigurable,
	howManyCards, keptWithConsent, largeBodies, linkIsTheAccess, linkOpens, listedByIDAndLogin, loginGivesToken,
	markupPriority, nothingElseOfTheCard, onlyTheHashIsKept, otherBytesAreNot, otpPageIsForTheCode,
	pauseIs45Seconds, payerUsesPages, payoutFreezes, payoutsExpire, pollingIsFree, prefilled, readIsThePayment,
	receipts, refusedWebhookComesAgain, requisitesAreOff, resendAsksAgain, resendIsSigned, resendTooEarly,
	reservedUntilExpiry, revokedKey, secretIsShownOnce, signedByHand, signedEndpointsWantHeaders,
	statusesInWebhooks, traderShortOfUSDT, unboundKeyNamesCashbox, webhookIsAPost, webhooksAreSigned,
	withoutApplicationSecret,
)

func byName(all ...func(t *testing.T, w *instance)) map[string]func(t *testing.T, w *instance) {
	named := map[string]func(t *testing.T, w *instance){}
	for _, proof := range all {
		name := runtime.FuncForPC(reflect.ValueOf(proof).Pointer()).Name()
		named[name[strings.LastIndex(name, ".")+1:]] = proof
	}
	return named
}
