package main

import (
	"os"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

func teams(w *walk) {
	one, _ := w.team(), w.team()
	read, err := w.client.Teams.Read(w.ctx, one.ID)
	w.must("read", err)
	w.is("has a name", read.Name == one.Name, read)
	changed, err := w.client.Teams.Update(w.ctx, one.ID, tfe.TeamUpdateOptions{
		Name:               tfe.String(one.Name + "b"),
		Visibility:         tfe.String("organization"),
		OrganizationAccess: &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)},
	})
	w.must("update", err)
	w.is("keeps the update", changed.Name == one.Name+"b" && changed.Visibility == "organization" &&
		changed.OrganizationAccess.ManageWorkspaces, changed)
	w.pages("list", 2, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Teams.List(w.ctx, w.org, &tfe.TeamListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	named, err := w.client.Teams.List(w.ctx, w.org, &tfe.TeamListOptions{Names: []string{changed.Name}})
	w.must("list by name", err)
	w.is("finds one", len(named.Items) == 1, named.Items)
	w.did("delete", w.client.Teams.Delete(w.ctx, one.ID))
	_, err = w.client.Teams.Read(w.ctx, one.ID)
	w.gone("is gone", err)
}

func teamAccess(w *walk) {
	ws, team := w.workspace(), w.team()
	level := tfe.AccessPlan
	made, err := w.client.TeamAccess.Add(w.ctx, tfe.TeamAccessAddOptions{Access: &level, Team: team, Workspace: ws})
	w.must("add", err)
	w.is("spells the level out", made.Access == tfe.AccessPlan && made.Runs == tfe.RunsPermissionPlan, made)
	read, err := w.client.TeamAccess.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("is about both", read.Team.ID == team.ID && read.Workspace.ID == ws.ID, read)
	custom, runs, variables := tfe.AccessCustom, tfe.RunsPermissionApply, tfe.VariablesPermissionRead
	changed, err := w.client.TeamAccess.Update(w.ctx, made.ID, tfe.TeamAccessUpdateOptions{
		Access: &custom, Runs: &runs, Variables: &variables, WorkspaceLocking: tfe.Bool(true),
	})
	w.must("update", err)
	w.is("keeps single permissions", changed.Runs == runs && changed.Variables == variables && changed.WorkspaceLocking, changed)
	list, err := w.client.TeamAccess.List(w.ctx, &tfe.TeamAccessListOptions{WorkspaceID: ws.ID})
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("remove", w.client.TeamAccess.Remove(w.ctx, made.ID))
	_, err = w.client.TeamAccess.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func teamProjectAccess(w *walk) {
	project, team := w.project(), w.team()
	made, err := w.client.TeamProjectAccess.Add(w.ctx, tfe.TeamProjectAccessAddOptions{
		Access: tfe.TeamProjectAccessWrite, Team: team, Project: project,
	})
	w.must("add", err)
	read, err := w.client.TeamProjectAccess.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("is about both", read.Team.ID == team.ID && read.Project.ID == project.ID && read.Access == tfe.TeamProjectAccessWrite, read)
	level := tfe.TeamProjectAccessAdmin
	changed, err := w.client.TeamProjectAccess.Update(w.ctx, made.ID, tfe.TeamProjectAccessUpdateOptions{Access: &level})
	w.must("update", err)
	w.is("keeps the update", changed.Access == level, changed)
	list, err := w.client.TeamProjectAccess.List(w.ctx, tfe.TeamProjectAccessListOptions{ProjectID: project.ID})
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	w.did("remove", w.client.TeamProjectAccess.Remove(w.ctx, made.ID))
	_, err = w.client.TeamProjectAccess.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func teamMembers(w *walk) {
	team := w.team()
	me, err := w.client.Users.ReadCurrent(w.ctx)
	w.must("who am I", err)
	w.must("add", w.client.TeamMembers.Add(w.ctx, team.ID, tfe.TeamMemberAddOptions{Usernames: []string{me.Username}}))
	list, err := w.client.TeamMembers.List(w.ctx, team.ID)
	w.must("list", err)
	w.is("has one", len(list) == 1 && list[0].Username == me.Username, list)
	memberships, err := w.client.TeamMembers.ListOrganizationMemberships(w.ctx, team.ID)
	w.must("list memberships", err)
	w.is("has one membership", len(memberships) == 1, memberships)
	w.did("remove", w.client.TeamMembers.Remove(w.ctx, team.ID, tfe.TeamMemberRemoveOptions{Usernames: []string{me.Username}}))
}

func teamTokens(w *walk) {
	team := w.team()
	made, err := w.client.TeamTokens.Create(w.ctx, team.ID)
	w.must("create", err)
	w.is("has a secret once", made.Token != "", made.ID)
	read, err := w.client.TeamTokens.Read(w.ctx, team.ID)
	w.must("read", err)
	w.is("keeps the secret back", read.Token == "" && read.ID == made.ID, read.ID)
	w.did("delete", w.client.TeamTokens.Delete(w.ctx, team.ID))
	end := time.Now().Add(24 * time.Hour)
	other, err := w.client.TeamTokens.CreateWithOptions(w.ctx, team.ID, tfe.TeamTokenCreateOptions{
		Description: tfe.String("for CI"), ExpiredAt: &end,
	})
	w.must("create with a description", err)
	byID, err := w.client.TeamTokens.ReadByID(w.ctx, other.ID)
	w.must("read by id", err)
	w.is("has an end", !byID.ExpiredAt.IsZero(), byID)
	_, err = w.client.TeamTokens.List(w.ctx, w.org, nil)
	w.did("list", err)
	w.did("delete by id", w.client.TeamTokens.DeleteByID(w.ctx, other.ID))
	_, err = w.client.TeamTokens.ReadByID(w.ctx, other.ID)
	w.gone("is gone", err)
}

func organizationMemberships(w *walk) {
	team := w.team()
	made, err := w.client.OrganizationMemberships.Create(w.ctx, w.org, tfe.OrganizationMembershipCreateOptions{
		Email: tfe.String(fresh("new") + "@example.com"), Teams: []*tfe.Team{team},
	})
	w.must("invite", err)
	w.is("is invited", made.Status == tfe.OrganizationMembershipInvited, made)
	read, err := w.client.OrganizationMemberships.ReadWithOptions(w.ctx, made.ID, tfe.OrganizationMembershipReadOptions{
		Include: []tfe.OrgMembershipIncludeOpt{tfe.OrgMembershipUser, tfe.OrgMembershipTeam},
	})
	w.must("read", err)
	w.is("has an address", read.Email == made.Email, read)
	w.pages("list", 1, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.OrganizationMemberships.List(w.ctx, w.org, &tfe.OrganizationMembershipListOptions{
			ListOptions: o, Include: []tfe.OrgMembershipIncludeOpt{tfe.OrgMembershipUser},
		})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	found, err := w.client.OrganizationMemberships.List(w.ctx, w.org, &tfe.OrganizationMembershipListOptions{Emails: []string{made.Email}})
	w.must("list by address", err)
	w.is("finds one", len(found.Items) == 1, found.Items)
	w.did("delete", w.client.OrganizationMemberships.Delete(w.ctx, made.ID))
	_, err = w.client.OrganizationMemberships.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func organizationTokens(w *walk) {
	made, err := w.client.OrganizationTokens.Create(w.ctx, w.org)
	w.must("create", err)
	w.is("has a secret once", made.Token != "", made.ID)
	read, err := w.client.OrganizationTokens.Read(w.ctx, w.org)
	w.must("read", err)
	w.is("keeps the secret back", read.Token == "" && read.ID != "", read.ID)
	w.did("delete", w.client.OrganizationTokens.Delete(w.ctx, w.org))
	_, err = w.client.OrganizationTokens.Read(w.ctx, w.org)
	w.gone("is gone", err)
}

func userTokens(w *walk) {
	made, err := w.client.UserTokens.Create(w.ctx, w.user, tfe.UserTokenCreateOptions{Description: "walked"})
	w.must("create", err)
	w.is("has a secret once", made.Token != "" && made.Description == "walked", made.ID)
	read, err := w.client.UserTokens.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("keeps the secret back", read.Token == "", read.ID)
	list, err := w.client.UserTokens.List(w.ctx, w.user)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, len(list.Items))
	w.did("delete", w.client.UserTokens.Delete(w.ctx, made.ID))
	_, err = w.client.UserTokens.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func agentPools(w *walk) {
	ws, other := w.workspace(), w.workspace()
	made, err := w.client.AgentPools.Create(w.ctx, w.org, tfe.AgentPoolCreateOptions{
		Name: tfe.String(fresh("pool")), OrganizationScoped: tfe.Bool(false), AllowedWorkspaces: []*tfe.Workspace{ws},
	})
	w.must("create", err)
	read, err := w.client.AgentPools.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("is for one workspace", !read.OrganizationScoped && len(read.AllowedWorkspaces) == 1, read)
	changed, err := w.client.AgentPools.Update(w.ctx, made.ID, tfe.AgentPoolUpdateOptions{Name: tfe.String(made.Name + "b")})
	w.must("update", err)
	w.is("keeps the update", changed.Name == made.Name+"b", changed)
	wider, err := w.client.AgentPools.UpdateAllowedWorkspaces(w.ctx, made.ID, tfe.AgentPoolAllowedWorkspacesUpdateOptions{
		AllowedWorkspaces: []*tfe.Workspace{ws, other},
	})
	w.must("allow another workspace", err)
	w.is("is for two", len(wider.AllowedWorkspaces) == 2, wider)
	narrower, err := w.client.AgentPools.UpdateExcludedWorkspaces(w.ctx, made.ID, tfe.AgentPoolExcludedWorkspacesUpdateOptions{
		ExcludedWorkspaces: []*tfe.Workspace{other},
	})
	w.must("exclude a workspace", err)
	w.is("excludes one", len(narrower.ExcludedWorkspaces) == 1, narrower)
	w.pages("list", 1, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.AgentPools.List(w.ctx, w.org, &tfe.AgentPoolListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.did("delete", w.client.AgentPools.Delete(w.ctx, made.ID))
	_, err = w.client.AgentPools.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func agentTokens(w *walk) {
	pool, err := w.client.AgentPools.Create(w.ctx, w.org, tfe.AgentPoolCreateOptions{Name: tfe.String(fresh("pool"))})
	w.must("a pool to work with", err)
	made, err := w.client.AgentTokens.Create(w.ctx, pool.ID, tfe.AgentTokenCreateOptions{Description: tfe.String("first")})
	w.must("create", err)
	w.is("has a secret once", made.Token != "", made.ID)
	read, err := w.client.AgentTokens.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("keeps the secret back", read.Token == "" && read.Description == "first", read)
	list, err := w.client.AgentTokens.List(w.ctx, pool.ID)
	w.must("list", err)
	w.is("has it", len(list.Items) == 1, list.Items)
	w.did("delete", w.client.AgentTokens.Delete(w.ctx, made.ID))
	_, err = w.client.AgentTokens.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func sshKeys(w *walk) {
	ws := w.workspace()
	made, err := w.client.SSHKeys.Create(w.ctx, w.org, tfe.SSHKeyCreateOptions{
		Name: tfe.String(fresh("key")), Value: tfe.String("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n"),
	})
	w.must("create", err)
	changed, err := w.client.SSHKeys.Update(w.ctx, made.ID, tfe.SSHKeyUpdateOptions{Name: tfe.String(made.Name + "b")})
	w.must("update", err)
	w.is("keeps the update", changed.Name == made.Name+"b", changed)
	_, err = w.client.SSHKeys.Read(w.ctx, made.ID)
	w.did("read", err)
	assigned, err := w.client.Workspaces.AssignSSHKey(w.ctx, ws.ID, tfe.WorkspaceAssignSSHKeyOptions{SSHKeyID: tfe.String(made.ID)})
	w.must("assign", err)
	w.is("is assigned", assigned.SSHKey != nil && assigned.SSHKey.ID == made.ID, assigned.SSHKey)
	free, err := w.client.Workspaces.UnassignSSHKey(w.ctx, ws.ID)
	w.must("unassign", err)
	w.is("is not assigned", free.SSHKey == nil, free.SSHKey)
	list, err := w.client.SSHKeys.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, list.Items)
	w.did("delete", w.client.SSHKeys.Delete(w.ctx, made.ID))
	_, err = w.client.SSHKeys.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func notificationConfigurations(w *walk) {
	ws, team := w.workspace(), w.team()
	kind := tfe.NotificationDestinationTypeGeneric
	options := tfe.NotificationConfigurationCreateOptions{
		DestinationType: &kind, Enabled: tfe.Bool(true), Name: tfe.String("hook"), URL: tfe.String(w.hook),
		Token: tfe.String("secret"), Triggers: []tfe.NotificationTriggerType{tfe.NotificationTriggerCompleted},
	}
	made, err := w.client.NotificationConfigurations.Create(w.ctx, ws.ID, options)
	w.must("create for a workspace", err)
	w.is("is on", made.Enabled && len(made.Triggers) == 1 && made.Token == "", made)
	read, err := w.client.NotificationConfigurations.Read(w.ctx, made.ID)
	w.must("read", err)
	w.is("has its address", read.URL == w.hook, read)
	verified, err := w.client.NotificationConfigurations.Verify(w.ctx, made.ID)
	w.must("verify", err)
	w.is("has the answer", len(verified.DeliveryResponses) > 0 && verified.DeliveryResponses[0].Successful == "true", verified)
	changed, err := w.client.NotificationConfigurations.Update(w.ctx, made.ID, tfe.NotificationConfigurationUpdateOptions{
		Name: tfe.String("hook 2"), Enabled: tfe.Bool(false),
	})
	w.must("update", err)
	w.is("keeps the update", changed.Name == "hook 2" && !changed.Enabled, changed)
	list, err := w.client.NotificationConfigurations.List(w.ctx, ws.ID, nil)
	w.must("list", err)
	w.is("has one", len(list.Items) == 1, list.Items)
	options.SubscribableChoice = &tfe.NotificationConfigurationSubscribableChoice{Team: team}
	options.Triggers = []tfe.NotificationTriggerType{tfe.NotificationTriggerChangeRequestCreated}
	ofTeam, err := w.client.NotificationConfigurations.Create(w.ctx, team.ID, options)
	w.did("create for a team", err)
	if err == nil {
		w.did("delete the team's", w.client.NotificationConfigurations.Delete(w.ctx, ofTeam.ID))
	}
	w.did("delete", w.client.NotificationConfigurations.Delete(w.ctx, made.ID))
	_, err = w.client.NotificationConfigurations.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func runTriggers(w *walk) {
	ws, source := w.workspace(), w.workspace()
	made, err := w.client.RunTriggers.Create(w.ctx, ws.ID, tfe.RunTriggerCreateOptions{Sourceable: source})
	w.must("create", err)
	w.is("names both", made.SourceableName == source.Name && made.WorkspaceName == ws.Name, made)
	_, err = w.client.RunTriggers.Read(w.ctx, made.ID)
	w.did("read", err)
	inbound, err := w.client.RunTriggers.List(w.ctx, ws.ID, &tfe.RunTriggerListOptions{RunTriggerType: tfe.RunTriggerInbound})
	w.must("list inbound", err)
	w.is("has one", len(inbound.Items) == 1, inbound.Items)
	outbound, err := w.client.RunTriggers.List(w.ctx, source.ID, &tfe.RunTriggerListOptions{RunTriggerType: tfe.RunTriggerOutbound})
	w.must("list outbound", err)
	w.is("has it there", len(outbound.Items) == 1, outbound.Items)
	w.did("delete", w.client.RunTriggers.Delete(w.ctx, made.ID))
	_, err = w.client.RunTriggers.Read(w.ctx, made.ID)
	w.gone("is gone", err)
}

func auditTrails(w *walk) {
	kind := tfe.AuditTrailToken
	made, err := w.client.OrganizationTokens.CreateWithOptions(w.ctx, w.org, tfe.OrganizationTokenCreateOptions{TokenType: &kind})
	w.must("a token to work with", err)
	auditor, err := tfe.NewClient(&tfe.Config{Address: os.Getenv("TFE_ADDRESS"), Token: made.Token})
	w.must("a client with that token", err)
	list, err := auditor.AuditTrails.List(w.ctx, &tfe.AuditTrailListOptions{})
	w.must("list", err)
	w.is("says who did what", len(list.Items) > 0 && list.Items[0].Type != "" && list.Items[0].Resource.Action != "", list.Items)
	w.did("delete the token", w.client.OrganizationTokens.DeleteWithOptions(w.ctx, w.org, tfe.OrganizationTokenDeleteOptions{TokenType: &kind}))
}
