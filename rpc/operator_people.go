package rpc

import (
	"context"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/sensitive"
	"gateway.example/internal/session"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// settled answers a change of a setting with what it has become.
func settled[T, R any](
	c directory.Change, err error, read func() (T, error), answer func(*portalv1.SettingChange, T) *R,
) (*connect.Response[R], error) {
	if err != nil {
		return nil, err
	}
	change, err := settingChange(c)
	if err != nil {
		return nil, err
	}
	now, err := read()
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(answer(change, now)), nil
}

// subjectID is the id of what was changed.
func subjectID(c directory.Change) int64 {
	id, _, _ := strings.Cut(c.SubjectKey, "/")
	n, _ := strconv.ParseInt(id, 10, 64) // it is one of ours
	return n
}

// among finds the one of a list for which a test holds.
func among[T any](list []T, err error, is func(T) bool) (T, error) {
	var none T
	for _, one := range list {
		if is(one) {
			return one, err
		}
	}
	return none, err
}

func (s *OperatorService) merchantSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.MerchantResponse], error) {
	return settled(c, err, func() (directory.Merchant, error) {
		return s.Settings.Merchant(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, m directory.Merchant) *portalv1.MerchantResponse {
		return &portalv1.MerchantResponse{Change: change, Data: merchantView(m)}
	})
}

func (s *OperatorService) cashboxSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.CashboxResponse], error) {
	return settled(c, err, func() (directory.Cashbox, error) {
		return s.Settings.Cashbox(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, box directory.Cashbox) *portalv1.CashboxResponse {
		return &portalv1.CashboxResponse{Change: change, Data: cashboxView(box)}
	})
}

func (s *OperatorService) methodSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.CashboxMethodResponse], error) {
	return settled(c, err, func() (directory.MethodSetting, error) {
		list, err := s.Settings.Methods(ctx, caller.From(ctx), subjectID(c))
		return among(
			list,
			err,
			func(m directory.MethodSetting) bool { return strings.HasSuffix(c.SubjectKey, "/"+m.Name) },
		)
	}, func(change *portalv1.SettingChange, m directory.MethodSetting) *portalv1.CashboxMethodResponse {
		return &portalv1.CashboxMethodResponse{Change: change, Data: methodView(m)}
	})
}

func (s *OperatorService) payoutMethodSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.CashboxPayoutMethodResponse], error) {
	return settled(c, err, func() (directory.PayoutMethodSetting, error) {
		list, err := s.Settings.PayoutMethods(ctx, caller.From(ctx), subjectID(c))
		return among(list, err, func(m directory.PayoutMethodSetting) bool {
			return strings.HasSuffix(c.SubjectKey, "/"+m.Name)
		})
	}, func(change *portalv1.SettingChange, m directory.PayoutMethodSetting) *portalv1.CashboxPayoutMethodResponse {
		return &portalv1.CashboxPayoutMethodResponse{Change: change, Data: payoutMethodView(m)}
	})
}

func (s *OperatorService) traderSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.TraderResponse], error) {
	return settled(c, err, func() (directory.Trader, error) {
		return s.Settings.Trader(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, t directory.Trader) *portalv1.TraderResponse {
		return &portalv1.TraderResponse{Change: change, Data: traderView(t)}
	})
}

func (s *OperatorService) traderPayoutSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.TraderPayoutMethodResponse], error) {
	return settled(c, err, func() (directory.TraderPayoutSetting, error) {
		list, err := s.Settings.TraderPayouts(ctx, caller.From(ctx), subjectID(c))
		return among(list, err, func(m directory.TraderPayoutSetting) bool {
			return strings.HasSuffix(c.SubjectKey, "/"+m.Currency+"/"+m.Method)
		})
	}, func(change *portalv1.SettingChange, m directory.TraderPayoutSetting) *portalv1.TraderPayoutMethodResponse {
		return &portalv1.TraderPayoutMethodResponse{Change: change, Data: traderPayoutView(m)}
	})
}

func (s *OperatorService) requisiteSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.RequisiteResponse], error) {
	return settled(c, err, func() (directory.Requisite, error) {
		return s.Settings.Requisite(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, r directory.Requisite) *portalv1.RequisiteResponse {
		return &portalv1.RequisiteResponse{Change: change, Data: requisiteOfTrader(r)}
	})
}

func (s *OperatorService) userSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.UserResponse], error) {
	return settled(c, err, func() (session.User, error) {
		return s.Users.User(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, u session.User) *portalv1.UserResponse {
		return &portalv1.UserResponse{Change: change, Data: userView(u)}
	})
}

func (s *OperatorService) limitSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.PlatformLimitResponse], error) {
	return settled(c, err, func() (directory.PlatformLimit, error) {
		list, err := s.Settings.PlatformLimits(ctx, caller.From(ctx))
		return among(list, err, func(l directory.PlatformLimit) bool { return l.Currency == c.SubjectKey })
	}, func(change *portalv1.SettingChange, l directory.PlatformLimit) *portalv1.PlatformLimitResponse {
		return &portalv1.PlatformLimitResponse{Change: change, Data: limitView(l)}
	})
}

func (s *OperatorService) bankSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.BankResponse], error) {
	return settled(c, err, func() (directory.Bank, error) {
		currency, name, _ := strings.Cut(c.SubjectKey, "/")
		list, err := s.Settings.ListBanks(ctx, caller.From(ctx), currency)
		return among(list, err, func(b directory.Bank) bool { return b.Name == name })
	}, func(change *portalv1.SettingChange, b directory.Bank) *portalv1.BankResponse {
		return &portalv1.BankResponse{Change: change, Data: bankView(b)}
	})
}

// page asks for part of a list of the directory.
func page(search *string, on *bool, limit *int32, cursor *string) directory.Search {
	s := directory.Search{On: on}
	if search != nil {
		s.Text = *search
	}
	s.Limit, s.Cursor = limit, cursor
	return s
}

// views are a list as it is answered.
func views[T, V any](list []T, view func(T) V) []V {
	data := make([]V, 0, len(list))
	for _, one := range list {
		data = append(data, view(one))
	}
	return data
}

// ListMerchants implements the service.
func (s *OperatorService) ListMerchants(
	ctx context.Context, req *connect.Request[portalv1.ListMerchantsRequest],
) (*connect.Response[portalv1.ListMerchantsResponse], error) {
	m := req.Msg
	list, next, err := s.Settings.Merchants(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMerchantsResponse{Data: views(list, merchantView), NextCursor: next}), nil
}

// GetMerchant implements the service.
func (s *OperatorService) GetMerchant(
	ctx context.Context, req *connect.Request[portalv1.GetMerchantRequest],
) (*connect.Response[portalv1.GetMerchantResponse], error) {
	m, err := s.Settings.Merchant(ctx, caller.From(ctx), req.Msg.GetMerchantId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{MerchantID: m.ID})
	return connect.NewResponse(&portalv1.GetMerchantResponse{Data: merchantView(m), OpenPayments: open}), err
}

// open counts somebody's pending payments.
func (s *OperatorService) open(ctx context.Context, of directory.Whose) (int32, error) {
	n, err := s.Settings.OpenPayments(ctx, caller.From(ctx), of)
	return int32(min(n, directory.OpenMost)), err
}

func merchantView(m directory.Merchant) *portalv1.Merchant {
	return &portalv1.Merchant{
		Id:              m.ID,
		Name:            m.Name,
		ApiEnabled:      m.APIEnabled,
		RatePercent:     optionalNumber(m.RatePercent, decimal.Decimal.String),
		MaxOpenPayments: m.MaxOpenPayments,
		CreatedAt:       timestamp(m.CreatedAt),
		Version:         m.Version,
	}
}

// ListCashboxes implements the service.
func (s *OperatorService) ListCashboxes(
	ctx context.Context, req *connect.Request[portalv1.OperatorServiceListCashboxesRequest],
) (*connect.Response[portalv1.OperatorServiceListCashboxesResponse], error) {
	m := req.Msg
	search := page(m.Search, m.SwitchedOn, m.Limit, m.Cursor)
	search.MerchantID, search.TraderID, search.Currency = m.GetMerchantId(), m.GetTraderCashboxId(), m.GetCurrency()
	list, next, err := s.Settings.Cashboxes(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(
		&portalv1.OperatorServiceListCashboxesResponse{Data: views(list, cashboxView), NextCursor: next},
	), nil
}

// GetCashbox implements the service.
func (s *OperatorService) GetCashbox(
	ctx context.Context, req *connect.Request[portalv1.GetCashboxRequest],
) (*connect.Response[portalv1.GetCashboxResponse], error) {
	who, id := caller.From(ctx), req.Msg.GetMerchantCashboxId()
	box, err := s.Settings.Cashbox(ctx, who, id)
	if err != nil {
		return nil, err
	}
	methods, err := s.Settings.Methods(ctx, who, id)
	if err != nil {
		return nil, err
	}
	payouts, err := s.Settings.PayoutMethods(ctx, who, id)
	if err != nil {
		return nil, err
	}
	has, err := s.Settings.Balance(ctx, who, ledger.Cashbox, id)
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{MerchantID: box.MerchantID, CashboxID: id})
	return connect.NewResponse(&portalv1.GetCashboxResponse{
		Data: cashboxView(box), Methods: views(methods, methodView), PayoutMethods: views(payouts, payoutMethodView),
		Balance: ownerBalance(has), OpenPayments: open,
	}), err
}

func cashboxView(c directory.Cashbox) *portalv1.Cashbox {
	return &portalv1.Cashbox{
		Id:              c.ID,
		MerchantId:      c.MerchantID,
		MerchantName:    c.MerchantName,
		Name:            c.Name,
		Currency:        c.Currency,
		TraderCashboxId: c.TraderID,
		CollectEnabled:  c.CollectEnabled,
		PageColor:       c.PageColor,
		FrameOrigin:     c.FrameOrigin,
		ReturnHosts:     c.ReturnHosts,
		ReturnAutomatic: c.ReturnAutomatic,
		PayerEvents:     c.PayerEvents,
		InsuranceUsdt:   money.USDT(c.InsuranceUSDT),
		CreatedAt:       timestamp(c.CreatedAt),
		Version:         c.Version,
	}
}

func methodView(m directory.MethodSetting) *portalv1.CashboxMethod {
	return &portalv1.CashboxMethod{
		Method:          m.Name,
		Enabled:         m.Enabled,
		MarginPercent:   optionalNumber(m.MarginPercent, decimal.Decimal.String),
		ValiditySeconds: m.ValiditySeconds,
		MinAmount:       optionalNumber(m.MinAmount, money.Fiat),
		MaxAmount: optionalNumber(
			m.MaxAmount,
			money.Fiat,
		),
		ClaimSeconds: m.ClaimSeconds,
		Cards:        m.Cards,
		Version:      m.Version,
	}
}

func payoutMethodView(m directory.PayoutMethodSetting) *portalv1.CashboxPayoutMethod {
	return &portalv1.CashboxPayoutMethod{
		Method:          m.Name,
		Enabled:         m.Enabled,
		MarkupPercent:   m.MarkupPercent.String(),
		ValiditySeconds: m.ValiditySeconds,
		Version:         m.Version,
		MinAmount:       optionalNumber(m.MinAmount, money.Fiat),
		MaxAmount:       optionalNumber(m.MaxAmount, money.Fiat),
	}
}

func ownerBalance(b directory.Balance) *portalv1.OwnerBalance {
	return &portalv1.OwnerBalance{AvailableUsdt: money.USDT(b.Available), ReservedUsdt: money.USDT(b.Reserved)}
}

// ListTraders implements the service.
func (s *OperatorService) ListTraders(
	ctx context.Context, req *connect.Request[portalv1.ListTradersRequest],
) (*connect.Response[portalv1.ListTradersResponse], error) {
	m := req.Msg
	list, next, err := s.Settings.Traders(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListTradersResponse{Data: views(list, traderView), NextCursor: next}), nil
}

// GetTrader implements the service.
func (s *OperatorService) GetTrader(
	ctx context.Context, req *connect.Request[portalv1.GetTraderRequest],
) (*connect.Response[portalv1.GetTraderResponse], error) {
	who, id := caller.From(ctx), req.Msg.GetTraderId()
	t, err := s.Settings.Trader(ctx, who, id)
	if err != nil {
		return nil, err
	}
	payouts, err := s.Settings.TraderPayouts(ctx, who, id)
	if err != nil {
		return nil, err
	}
	acquirers, err := s.Acquirers.List(ctx, who, id)
	if err != nil {
		return nil, err
	}
	has, err := s.Settings.Balance(ctx, who, ledger.Trader, id)
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{TraderID: id})
	return connect.NewResponse(&portalv1.GetTraderResponse{
		Data: traderView(
			t,
		),
		PayoutMethods: views(payouts, traderPayoutView),
		Acquirers:     views(acquirers, processorView),
		Balance:       ownerBalance(has),
		OpenPayments:  open,
	}), err
}

func traderView(t directory.Trader) *portalv1.Trader {
	return &portalv1.Trader{
		Id: t.ID, Name: t.Name, Enabled: t.Enabled, OnBreak: t.OnBreak,
		RatePercent: optionalNumber(t.RatePercent, decimal.Decimal.String), SharePercent: t.SharePercent.String(),
		MaxOpenPayins: t.MaxOpenPayins, CreatedAt: timestamp(t.CreatedAt), Version: t.Version,
	}
}

func traderPayoutView(m directory.TraderPayoutSetting) *portalv1.TraderPayoutMethod {
	return &portalv1.TraderPayoutMethod{Currency: m.Currency, Method: m.Method, Enabled: m.Enabled, Version: m.Version}
}

func processorView(p acquirer.Processor) *portalv1.Acquirer {
	return &portalv1.Acquirer{
		Id: p.ID, Url: p.URL, KeyId: p.KeyID, Present: p.Present, Open: p.Open, Version: p.Version,
	}
}

// ListRequisites implements the service.
func (s *OperatorService) ListRequisites(
	ctx context.Context, req *connect.Request[portalv1.ListRequisitesRequest],
) (*connect.Response[portalv1.ListRequisitesResponse], error) {
	m := req.Msg
	search := page(m.Search, m.SwitchedOn, m.Limit, m.Cursor)
	search.TraderID, search.Currency, search.Method = m.GetTraderId(), m.GetCurrency(), m.GetMethod()
	list, next, err := s.Settings.Requisites(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListRequisitesResponse{
		Data: views(list, requisiteOfTrader), NextCursor: next,
	}), nil
}

// GetRequisite implements the service.
func (s *OperatorService) GetRequisite(
	ctx context.Context, req *connect.Request[portalv1.GetRequisiteRequest],
) (*connect.Response[portalv1.GetRequisiteResponse], error) {
	r, err := s.Settings.Requisite(ctx, caller.From(ctx), req.Msg.GetRequisiteId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{TraderID: r.TraderID, RequisiteID: r.ID})
	return connect.NewResponse(&portalv1.GetRequisiteResponse{Data: requisiteOfTrader(r), OpenPayments: open}), err
}

// RevealRequisite implements the service.
func (s *OperatorService) RevealRequisite(
	ctx context.Context, req *connect.Request[portalv1.RevealRequisiteRequest],
) (*connect.Response[portalv1.RevealRequisiteResponse], error) {
	value, err := s.Settings.RequisiteValue(ctx, caller.From(ctx), req.Msg.GetRequisiteId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RevealRequisiteResponse{Value: value}), nil
}

func requisiteOfTrader(r directory.Requisite) *portalv1.Requisite {
	return &portalv1.Requisite{
		Id:         r.ID,
		TraderId:   r.TraderID,
		TraderName: r.TraderName,
		Currency:   r.Currency,
		Method:     r.Method,
		Masked:     r.Masked,
		Holder:     r.Holder,
		Bank:       r.Bank,
		Enabled:    r.Enabled,
		OwnEnabled: r.OwnEnabled,
		Limits:     ownLimitsView(r.Set),
		OwnLimits:  ownLimitsView(r.Own),
		Weight:     r.Weight,
		CreatedAt:  timestamp(r.CreatedAt),
		Version:    r.Version,
	}
}

// ListUsers implements the service.
func (s *OperatorService) ListUsers(
	ctx context.Context, req *connect.Request[portalv1.ListUsersRequest],
) (*connect.Response[portalv1.ListUsersResponse], error) {
	m := req.Msg
	search := session.UserSearch{
		Text: m.GetSearch(), On: m.SwitchedOn, Kind: caller.Kind(m.GetKind()), MerchantID: m.GetMerchantId(),
		TraderID: m.GetTraderId(),
	}
	search.Limit, search.Cursor = m.Limit, m.Cursor
	list, next, err := s.Users.Users(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListUsersResponse{Data: views(list, userView), NextCursor: next}), nil
}

// GetUser implements the service.
func (s *OperatorService) GetUser(
	ctx context.Context, req *connect.Request[portalv1.GetUserRequest],
) (*connect.Response[portalv1.GetUserResponse], error) {
	u, err := s.Users.User(ctx, caller.From(ctx), req.Msg.GetUserId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetUserResponse{Data: userView(u)}), nil
}

func userView(u session.User) *portalv1.User {
	var seen *timestamppb.Timestamp
	if u.Sessions > 0 {
		seen = timestamp(u.SeenAt)
	}
	var awaits *timestamppb.Timestamp
	if u.AwaitsUntil != nil {
		awaits = timestamp(*u.AwaitsUntil)
	}
	return &portalv1.User{
		AwaitsUntil: awaits,
		Id:          u.ID,
		Kind:        string(u.Kind),
		Role:        string(u.Role),
		Login:       u.Login,
		Enabled:     u.Enabled,
		MerchantId:  u.MerchantID,
		TraderId:    u.TraderID,
		OfName:      u.OfName,
		MerchantIds: u.MerchantIDs,
		HasPassword: u.HasPassword,
		HasTotp:     u.HasTOTP,
		Passkeys:    int32(u.Passkeys),
		Sessions:    int32(u.Sessions),
		SeenAt:      seen,
		CreatedAt:   timestamp(u.CreatedAt),
		Version:     u.Version,
	}
}

// ListPlatformLimits implements the service.
func (s *OperatorService) ListPlatformLimits(
	ctx context.Context, _ *connect.Request[portalv1.ListPlatformLimitsRequest],
) (*connect.Response[portalv1.ListPlatformLimitsResponse], error) {
	list, err := s.Settings.PlatformLimits(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListPlatformLimitsResponse{Data: views(list, limitView)}), nil
}

func limitView(l directory.PlatformLimit) *portalv1.PlatformLimit {
	return &portalv1.PlatformLimit{
		Currency:  l.Currency,
		MinAmount: money.Fiat(l.MinAmount),
		MaxAmount: money.Fiat(l.MaxAmount),
		Version:   l.Version,
	}
}

// ListSensitiveReads implements the service.
func (s *OperatorService) ListSensitiveReads(
	ctx context.Context, req *connect.Request[portalv1.ListSensitiveReadsRequest],
) (*connect.Response[portalv1.ListSensitiveReadsResponse], error) {
	filter := sensitive.Filter{Subject: req.Msg.Subject, SubjectKey: req.Msg.SubjectKey, UserID: req.Msg.UserId}
	filter.Limit, filter.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.Reads.List(ctx, caller.From(ctx), filter)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListSensitiveReadsResponse{
		Data: views(list, sensitiveRead), NextCursor: next,
	}), nil
}

func sensitiveRead(r sensitive.Read) *portalv1.SensitiveRead {
	return &portalv1.SensitiveRead{
		Id: r.ID, At: timestamp(r.At), UserId: r.UserID, Login: r.Login, Subject: r.Subject, SubjectKey: r.SubjectKey,
		What: r.What, RequestId: r.RequestID,
	}
}
